set $n = 5
quit $n + 2
p 1
