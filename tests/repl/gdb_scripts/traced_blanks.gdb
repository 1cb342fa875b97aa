set trace-commands on
  if   1
    if   2
  echo a\n
    end
end
if(1)
  if(1)
    echo c\n
  end
end
define foo
  if   $arg0 == $argc
    while(0)
    end
  end
end
foo 1
