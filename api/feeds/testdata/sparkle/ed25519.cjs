// Signs and verifies files with Node's own Ed25519: "ed25519.cjs sign SEED FILE" prints the public key
// and the signature, and "ed25519.cjs verify KEY SIGNATURE FILE" whether it verifies. SEED is hex.
const crypto = require("node:crypto")
const fs = require("node:fs")

const [verb, ...args] = process.argv.slice(2)
// What precedes the 32 bytes of a key in its DER forms.
const privateHead = Buffer.from("302e020100300506032b657004220420", "hex")
const publicHead = Buffer.from("302a300506032b6570032100", "hex")

if (verb === "sign") {
  const [seed, file] = args
  const key = crypto.createPrivateKey({ key: Buffer.concat([privateHead, Buffer.from(seed, "hex")]), format: "der", type: "pkcs8" })
  const der = crypto.createPublicKey(key).export({ format: "der", type: "spki" })
  const signature = crypto.sign(null, fs.readFileSync(file), key).toString("base64")
  console.log(JSON.stringify({ key: der.subarray(publicHead.length).toString("base64"), signature }))
} else {
  const [key, signature, file] = args
  const der = Buffer.concat([publicHead, Buffer.from(key, "base64")])
  const verified = crypto.verify(null, fs.readFileSync(file), { key: der, format: "der", type: "spki" }, Buffer.from(signature, "base64"))
  console.log(JSON.stringify({ verified }))
}
