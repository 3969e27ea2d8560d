package searchtext

// Compose is Text without its faster implementations for common texts.
var Compose = compose
