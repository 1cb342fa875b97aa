python print(5)
python
for i in range(2):
  print(i)
end
python x = 3
py print(x)
python
def f():
    """doc

    end of doc"""
    return 3
print(f())
end
python
end
python print("a", end="")
p 1
python raise SystemExit(4)
p 2
