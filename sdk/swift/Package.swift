// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "AAI",
    products: [.library(name: "AAI", targets: ["AAI"])],
    targets: [
        .target(name: "AAI"),
        .executableTarget(name: "Shelf", dependencies: ["AAI"]),
    ]
)
