"""Buttons in Tk, which has no accessibility. Prints where they are, and the text of a button that is pressed."""

import tkinter
from functools import partial

window = tkinter.Tk()
window.title("Buttons")
buttons = []
for number in range(1, 21):
    text = f"Button {number}"
    button = tkinter.Button(window, text=text, command=partial(print, text, flush=True))
    button.grid(row=(number - 1) // 5, column=(number - 1) % 5, padx=4, pady=4)
    buttons.append(button)
tkinter.Entry(window).grid(row=5, column=0, columnspan=3)
tkinter.Label(window, text="Nothing to press").grid(row=5, column=3, columnspan=2)
window.update()
print([[one.winfo_rootx(), one.winfo_rooty(), one.winfo_width(), one.winfo_height()] for one in buttons], flush=True)
window.mainloop()
