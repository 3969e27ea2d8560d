package searchtext

// Compose is Text without its fast paths.
var Compose = compose
