# What echo, output and printf leave open, the next command continues.
echo a
echo b\n
output 5
output/x 255
echo \n
echo   lead  trail  \n
echo x \
  y\n
echo "quoted"\n
echo \q\101\n
echo
echo \
p 1
printf "no end"
p 2
p 1 + \
 2
	p 4

shell echo hi
!echo ho
shell exit 3
p $_shell_exitcode
shell kill -9 $$
p $_shell_exitsignal
p $_shell_exitcode
pipe p 3 | cat
| p 5 | tr 0-9 a-j
pipe -d @ p 1|2 @ cat
pipe echo a\nb\n | wc -l
pipe p 1 | exit 3
p $_shell_exitcode
eval "p %d + 1", 3
shell

echo trailing   
echo |\n
p \
