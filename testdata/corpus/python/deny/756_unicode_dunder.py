().__clａss__.__bａses__
