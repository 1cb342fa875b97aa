set $i = 0
while $i < 5
  set $i++
  if $i == 2
    loop_continue
  end
  # a comment

  if $i == 4
    loop_break
  end
  p $i
end
set $i = 0
while $i++ < 2
p $i
end
if 0
  p 1
else
  if 1
    p 2
  else
    p 3
  end
end
if 1
end
if 0
else
end
while 0
end
if(1)
p 3
end
if 0.5
p 5
end
if global_struct
p 6
end
if 1
 loop_continue
 p 4
end
if 1
 python print(2)
 python
print("in")
if True:
    print("end")
 end
end
if 1
p 7
