p 1
loop_break
