"""Commands about waves, threads, lanes and the machine above them."""
