define hook-print
echo [before]\n
end
define hookpost-print
echo [after]\n
end
define foo
echo in foo\n
print $arg0
end
define hook-foo
echo before foo\n
end
set trace-commands on
print 1
foo 5
if 1
print 2
end
echo hi\n
define hook-echo
print 3
end
echo x\n
output 3
set trace-commands off
