// Name and logo of the product.

import { useTexts } from "../core/texts";
import icon from "../icon.svg";
import classes from "./frame.module.css";

export function Mark() {
  const { common } = useTexts();
  return (
    <span className={classes["mark"]}>
      <img src={icon} alt="" width={24} height={24} />
      {common.product}
    </span>
  );
}
