source nosuch.gdb
source .
source inner.gdb inner.gdb
source "inner.gdb"
source -v inner.gdb
source -s inner.gdb
set trace-commands on
p 1
if 1
p 2
end
define foo
p 3
end
foo
set trace-commands off
show trace-commands
source failing.gdb
p 9
