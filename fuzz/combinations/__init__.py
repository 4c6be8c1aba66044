"""Where two capabilities meet: every policy × mechanism × query × size × question, cell by cell."""
