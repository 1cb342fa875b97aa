set trace-commands on
define foo
  set $i = 0
  while $i < $arg0
    set $i = $i + 1
    if $i == $arg1
      loop_continue
    end
    if $i > 3
      loop_break
    else
      echo $arg1\n
    end
  end
end
document foo
doc
end
foo 5 2
set $j = 0
while $j < 2
  set $j = $j + 1
  if $j == 1
    loop_continue
  end
  echo x\n
  loop_break
end
