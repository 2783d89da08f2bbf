"""Random requests and the server that receives them."""
