/** Version of this gateway, as `/info` and the description of its routes tell it. */
export const VERSION = "0.1.0";
