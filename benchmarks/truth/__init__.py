"""Problems with a known answer, and whether the sentences of their studies are true."""
