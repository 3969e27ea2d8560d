/** Version of this library, which equals the version of the server it was released with. */
export const SDK_VERSION = "0.1.0";
