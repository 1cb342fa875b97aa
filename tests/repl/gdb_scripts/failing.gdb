p 20
end
