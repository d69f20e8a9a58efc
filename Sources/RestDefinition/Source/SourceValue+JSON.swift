// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension SourceValue {
    /// Creates a value by parsing JSON text, with the positions in it.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - name: What the diagnostic of invalid text calls it.
    /// - Throws: ``DefinitionError`` with the position if the text is not valid JSON or exceeds a limit.
    /// - Complexity: O(*n*) in the size of the text.
    public init(
        parsingJSON bytes: [UInt8], describedAs name: String = "the text"
    ) throws(DefinitionError) {
        do throws(DocumentError) {
            self = try Document(parsing: bytes).withView { view in
                var positions = LinePositions(bytes)
                return Self.value(view, &positions)
            }
        } catch {
            throw DefinitionError([
                DefinitionDiagnostic(
                    .invalidSyntax, at: SourceLocation(line: error.line, column: error.column),
                    problem: "\(name) is not valid JSON", advice: "write \(error.expected)")
            ])
        }
    }

    private static func value(_ view: NodeView, _ positions: inout LinePositions) -> SourceValue {
        // The offset of a string is that of its content, after the quotation mark.
        let location = positions.location(at: view.tapeNode.offset - (view.kind.isString ? 1 : 0))
        switch view.kind {
        case .null: return SourceValue(.scalar(.null), at: location)
        case .true: return SourceValue(.scalar(.boolean(true)), at: location)
        case .false: return SourceValue(.scalar(.boolean(false)), at: location)
        case .string, .escapedString:
            return SourceValue(.scalar(.text(view.string() ?? "")), at: location)
        case .array:
            return SourceValue(.sequence(view.elements.map { value($0, &positions) }), at: location)
        case .object:
            let members = view.members.map { key, element in
                let start = positions.location(at: key.tapeNode.offset - 1)
                return Member(key.string() ?? "", value(element, &positions), at: start)
            }
            return SourceValue(.mapping(members), at: location)
        default: return SourceValue(.scalar(.number(view.numberText ?? "0")), at: location)
        }
    }
}

/// The lines and columns of offsets in ascending order.
private struct LinePositions {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var lineStart = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func location(at target: Int) -> SourceLocation {
        while offset < min(target, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") {
                line += 1
                lineStart = offset + 1
            }
            offset += 1
        }
        let column = bytes[lineStart..<max(lineStart, min(target, bytes.count))]
            .count { $0 & 0xC0 != 0x80 }
        return SourceLocation(line: line, column: column + 1)
    }
}
