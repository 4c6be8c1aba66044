"""How much could any private mechanism leak? The worst case over all of them."""
