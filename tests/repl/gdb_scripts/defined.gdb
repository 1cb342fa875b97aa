define add
  if $argc == 2
    p $arg0 + $arg1
  else
    echo need two\n
  end
end
add 1 2
add 1
add
define show-all
 echo $arg0$arg0 x$argcx $arg00 $argx $arg\n
 if $argc > 1
   eval "echo %d $arg%d\n", $argc, 1
 end
end
show-all 1
show-all 1 2
show-all 'a b' "c d"
document add
Add two numbers.
Usage: add A B
end
help add
help show-all
help user-defined
define shown
p 1

# c
   if 1
p "  x  "
 else
 python
print(1)
  if 1: print(2)
 end
 end
   while 0
   loop_break
end
end
show user shown
  p 2
end
shown
define mk
  define inner
    echo inner $argc\n
  end
  document inner
Inner doc.
  end
end
mk
inner 1
help inner
define foo
loop_break
p 1
end
foo
while 1
 foo
 p 2
 loop_break
end
define-prefix abc
show user abc
define abc def
echo hi $arg0\n
end
abc def 7
abc
show user abc
help abc
define set mine
echo set $argc\n
end
set mine 1 2
define once
  dont-repeat
  p 9
end
once
define-prefix abc
abc zzz
