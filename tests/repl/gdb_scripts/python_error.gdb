python
print(1)
1/0
end
p 2
