document print
hi
end
