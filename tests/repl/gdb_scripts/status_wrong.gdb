quit 1+
p 2
