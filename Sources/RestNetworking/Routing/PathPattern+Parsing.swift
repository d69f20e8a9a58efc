// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestSyntax

/// A parser for path patterns that collects all errors.
struct PathPatternParser {
    private(set) var literals: [UInt8] = []
    private(set) var pieces: [PathPattern.Piece] = []
    private(set) var parameters: [String] = []
    private(set) var diagnostics: [String] = []
    private var literal = ""

    mutating func parse(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            switch scalars[index] {
            case "\\":
                parseEscape(index + 1 < scalars.count ? scalars[index + 1] : nil)
                index += 2
            case ":" where index + 1 < scalars.count && isNameScalar(scalars[index + 1]):
                let end = scalars[(index + 1)...].firstIndex { !isNameScalar($0) } ?? scalars.count
                var name = ""
                name.unicodeScalars.append(contentsOf: scalars[(index + 1)..<end])
                endParameter(name)
                index = end
            case "#":
                diagnostics.append("a fragment is never sent, so \"#\" cannot be part of it")
                index += 1
            default:
                literal.unicodeScalars.append(scalars[index])
                index += 1
            }
        }
        endLiteral()
        diagnoseDotSegments()
    }

    private mutating func parseEscape(_ scalar: Unicode.Scalar?) {
        switch scalar {
        case ".", "@", ":", "\\":
            literal.unicodeScalars.append(scalar ?? "\\")
        case let scalar?:
            diagnostics.append("\"\\\(scalar)\" is no escape; these are: \\. \\@ \\: \\\\")
        case nil:
            diagnostics.append("it ends with an unfinished escape")
        }
    }

    private mutating func endParameter(_ name: String) {
        endLiteral()
        if case .parameter(let previous) = pieces.last {
            diagnostics.append("nothing separates \":\(parameters[previous])\" from \":\(name)\"")
        }
        if name.split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty) {
            diagnostics.append(
                "\":\(name)\" has an empty key; write \"\\.\" for a dot after a name")
        }
        pieces.append(.parameter(parameters.count))
        parameters.append(name)
    }

    private mutating func endLiteral() {
        guard !literal.isEmpty else { return }
        let start = literals.count
        PercentEncoding.appendNormalized(literal.utf8, to: &literals)
        pieces.append(.literal(start..<literals.count))
        literal = ""
    }

    private mutating func diagnoseDotSegments() {
        var path: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .literal(let range): path += literals[range]
            case .parameter: path.append(UInt8(ascii: "x"))
            }
        }
        if PathPattern.hasDotSegment(path) {
            diagnostics.append("servers fold the segments \".\" and \"..\"")
        }
    }

    private func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "_", "@": true
        case "0"..."9", "a"..."z", "A"..."Z": true
        default: !scalar.isASCII && scalar.properties.isAlphabetic
        }
    }
}
