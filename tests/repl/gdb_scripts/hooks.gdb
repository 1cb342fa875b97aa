define hook-print
echo before\n
end
define hookpost-print
echo after\n
end
print 1
p 2
inspect 3
define hook-echo
printf "<"
end
define hookpost-echo
printf ">\n"
end
echo x
define foo
echo foo\n
end
define hook-foo
p 1
end
foo
define hook-nosuch
end
define hook-p
end
define print
echo mine\n
end
print 3
p 3
define hook-output
whatis main::nosuch
end
output 1
