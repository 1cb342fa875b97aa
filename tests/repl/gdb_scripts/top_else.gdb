p 1
else
