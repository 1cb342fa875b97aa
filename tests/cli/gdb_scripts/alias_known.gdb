alias print = whatis
