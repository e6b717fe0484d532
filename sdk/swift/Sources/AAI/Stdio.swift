import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension App {
    /// Serves on standard input and output until the input ends. What a tool prints goes to standard error.
    public func serve() {
        let wire = FileHandle(fileDescriptor: dup(STDOUT_FILENO), closeOnDealloc: true)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        while let line = readLine(strippingNewline: true) {
            if line.allSatisfy(\.isWhitespace) { continue }
            wire.write(Data((answer(line) + "\n").utf8))
        }
    }

    /// `--describe` prints the descriptor; without an option it serves.
    public func run(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) {
        guard arguments.first == "--describe" else { return serve() }
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = (try? JSONSerialization.data(withJSONObject: descriptor, options: options)) ?? Data()
        print(String(decoding: data, as: UTF8.self))
    }
}
