// Name and sign of the product.

import icon from "../icon.svg";
import classes from "./frame.module.css";
import { useTexts } from "./texts";

export function Mark() {
  const { common } = useTexts();
  return (
    <span className={classes["mark"]}>
      <img src={icon} alt="" width={24} height={24} />
      {common.product}
    </span>
  );
}
