if 1
p 1
p nosuch_::x
end
p 2
