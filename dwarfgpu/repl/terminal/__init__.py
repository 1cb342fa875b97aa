"""Line editing, completion, colours, the bottom bar, the pager; and conversations without them."""
