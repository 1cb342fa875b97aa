if 1
 p 1
else
 p 2
else
 p 3
end
p 4
