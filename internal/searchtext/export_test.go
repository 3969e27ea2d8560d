package searchtext

// Compose is Text without its fast ways.
var Compose = compose
