p 10
echo hi\n
if 1
p 3
end
