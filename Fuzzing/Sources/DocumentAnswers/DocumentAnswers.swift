// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument

/// A program that prints parsed documents, for comparison with another parser.
///
/// Standard input is a sequence of documents, standard output a result for each: `!` with the code of
/// the error, or the value in canonical form. Both are prefixed with their length in bytes, four bytes
/// in little-endian order.
@main
enum DocumentAnswers {
    static func main() throws {
        let input = try FileHandle.standardInput.readToEnd() ?? Data()
        var output: [UInt8] = []
        var position = input.startIndex
        while position < input.endIndex {
            let size = input[position..<position + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            let document = input[position + 4..<position + 4 + size]
            position += 4 + size
            let answer = answer(to: [UInt8](document))
            output += (0..<4).map { UInt8(truncatingIfNeeded: answer.count >> ($0 * 8)) }
            output += answer
        }
        try FileHandle.standardOutput.write(contentsOf: output)
    }

    private static func answer(to document: [UInt8]) -> [UInt8] {
        do throws(DocumentError) {
            var form = CanonicalForm()
            form.append(try Document(parsing: document).root)
            return form.bytes
        } catch {
            return Array("!\(error.code)".utf8)
        }
    }
}
