// Without a file of this kind Go takes no function whose body is elsewhere.
