import java.awt.Component;
import java.awt.FlowLayout;
import java.awt.Point;
import java.util.StringJoiner;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JPanel;
import javax.swing.SwingUtilities;
import javax.swing.Timer;

/** Buttons in Swing. Prints where they are; a pressed one prints its text. */
public class Buttons {
    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> {
            JFrame window = new JFrame("Buttons");
            JPanel panel = new JPanel(new FlowLayout());
            for (int number = 1; number <= 20; number++) {
                JButton button = new JButton("Button " + number);
                button.addActionListener(event -> System.out.println(button.getText()));
                panel.add(button);
            }
            window.add(panel);
            window.setSize(520, 300);
            window.setVisible(true);
            Timer timer = new Timer(1500, event -> System.out.println(places(panel)));
            timer.setRepeats(false);
            timer.start();
        });
    }

    private static String places(JPanel panel) {
        StringJoiner places = new StringJoiner(", ", "[", "]");
        for (Component button : panel.getComponents()) {
            Point place = button.getLocationOnScreen();
            places.add("[" + place.x + ", " + place.y + ", " + button.getWidth() + ", " + button.getHeight() + "]");
        }
        return places.toString();
    }
}
