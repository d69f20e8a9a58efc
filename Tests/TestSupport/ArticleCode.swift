// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The code blocks in the articles of a target's DocC catalog.
package struct ArticleCode {
    /// The number of articles.
    package let articleCount: Int

    private let lines: [(article: String, line: Substring)]

    /// Reads the articles.
    ///
    /// - Parameters:
    ///   - target: The name of the target.
    ///   - name: The name of the only article to read; `nil` for all of them.
    ///   - file: A file of the target's tests, two folders below the package.
    /// - Throws: An error of Foundation if a file cannot be read.
    package init(
        of target: String, article name: String? = nil, besides file: String
    ) throws {
        let package = URL(fileURLWithPath: file).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let articles = try FileManager.default
            .contentsOfDirectory(
                at: package.appending(path: "Sources/\(target)/\(target).docc"),
                includingPropertiesForKeys: nil
            )
            .filter { name.map($0.lastPathComponent.hasSuffix) ?? ($0.pathExtension == "md") }
        articleCount = articles.count
        lines = try articles.flatMap { article in
            var isCode = false
            return try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
                .filter { line in
                    if line.hasPrefix("```") {
                        isCode = line == "```swift"
                        return false
                    }
                    return isCode
                }
                .map { (article.lastPathComponent, $0) }
        }
    }

    /// Returns the lines that a file does not contain, ignoring comments and white space.
    ///
    /// - Throws: An error of Foundation if the file cannot be read.
    package func lines(missingIn file: String) throws -> [String] {
        let text = try String(contentsOfFile: file, encoding: .utf8).filter { !$0.isWhitespace }
        return lines.compactMap { article, line in
            let code = (line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line)
                .filter { !$0.isWhitespace }
            return code.isEmpty || text.contains(code) ? nil : "\(article): \(line)"
        }
    }
}
