document nosuch_
hi
end
