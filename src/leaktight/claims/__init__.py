"""Every claim of the five papers, executable: what it says, whether it holds, and the evidence."""
