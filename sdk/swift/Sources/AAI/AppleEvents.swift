#if canImport(AppKit)
import AppKit

/// Answers the Apple Event `'aai '`/`'exec'`, whose direct parameter is the request, and so is the reply's.
///
/// Never compiled and never run: written from Apple's documentation.
public final class AppleEvents: NSObject {
    private let app: App

    /// Create it in `applicationWillFinishLaunching`: the event that started the app is delivered right after it.
    public init(_ app: App) {
        self.app = app
        super.init()
        NSAppleEventManager.shared().setEventHandler(
            self, andSelector: #selector(handle(_:withReplyEvent:)), forEventClass: AEEventClass(0x6161_6920),
            andEventID: AEEventID(0x6578_6563))
    }

    @objc func handle(_ event: NSAppleEventDescriptor, withReplyEvent reply: NSAppleEventDescriptor) {
        let text = event.paramDescriptor(forKeyword: AEKeyword(keyDirectObject))?.stringValue ?? ""
        reply.setParam(NSAppleEventDescriptor(string: app.answer(text)), forKeyword: AEKeyword(keyDirectObject))
    }
}
#endif
