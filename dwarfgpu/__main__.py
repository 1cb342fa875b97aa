from dwarfgpu.cli.main import main

raise SystemExit(main())
