// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Emits `requireProperties`, whose statements look up the properties of destinations that attributes name.
///
/// They are inverses, and the attributes that references are by. A statement has the source location of its
/// attribute, so that the compiler reports a wrong property there. The function is never called.
struct LookupEmitter {
    private let lines: [String]
    private let hasLocations: Bool

    init(_ declaration: EntityDeclaration, in context: some MacroExpansionContext) {
        var lines: [String] = []
        var hasLocations = false
        for (index, property) in declaration.properties.enumerated() {
            guard let destination = property.destination, !declaration.isRefused else { continue }
            for (found, name, use) in [
                (property.inverse, "inverse", "inverse(leadingTo: \(declaration.name).self)"),
                (property.referenceAttribute, "attribute", "referenceAttribute()"),
            ] {
                guard let found else { continue }
                let location = context.directive(before: found.syntax)
                hasLocations = hasLocations || !location.isEmpty
                lines.append(
                    "\(location)let \(name)\(index) = \(found.lookup(in: destination))")
                lines.append("\(location)\(name)\(index).\(use)")
            }
        }
        self.lines = lines
        self.hasLocations = hasLocations
    }

    /// The function; nil for an entity without such attributes.
    var member: DeclSyntax? {
        if lines.isEmpty { return nil }
        let ending = hasLocations ? ["#sourceLocation()"] : []
        return """
            private static func requireProperties() {
            \(raw: (lines + ending).joined(separator: "\n"))
            }
            """
    }
}

extension DestinationProperty {
    /// Returns an expression that finds the property.
    ///
    /// The compiler checks a key path in the attribute itself.
    fileprivate func lookup(in destination: String) -> String {
        let lookup = "RestPersistence.PropertyLookup<\(destination)>"
        return root == nil ? "\(lookup).property(\\.\(name))" : "\(lookup)().\(name)"
    }
}

extension MacroExpansionContext {
    /// Returns the directive that gives the following line the location of a node; empty if it is not known.
    func directive(before node: some SyntaxProtocol) -> String {
        let location = location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath)
        // A directive takes no raw string, which a path with quotes or backslashes requires.
        guard let location, location.file.description.hasPrefix("\"") else { return "" }
        return "#sourceLocation(file: \(location.file), line: \(location.line))\n"
    }
}
#endif
