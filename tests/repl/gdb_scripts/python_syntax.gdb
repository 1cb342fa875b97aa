python
print(1)
1 +
end
