"""Line editing, completion, colours, the bottom bar, the pager; and sessions without them."""
