define foo
p $arg0
p $arg1
end
foo 1
