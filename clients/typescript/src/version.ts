/** Version of this library; the same as the server's it was released with. */
export const SDK_VERSION = "0.1.0";
