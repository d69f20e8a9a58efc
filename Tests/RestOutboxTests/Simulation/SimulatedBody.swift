// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestRows

/// A body with integers, and with lists of them for members.
enum SimulatedBody {
    static func data(_ values: ObjectImage) -> Data {
        let pairs = values.sorted { $0.key < $1.key }.map { name, value in
            if let members = MemberSet(value) {
                return "\(name)=" + members.keys.sorted().map(String.init).joined(separator: ",")
            }
            return if case .integer(let number) = value { "\(name)=\(number)" } else { "\(name)=" }
        }
        return Data(pairs.joined(separator: "&").utf8)
    }

    static func values(of body: Data) -> ObjectImage {
        var values: ObjectImage = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            let name = String(parts[0])
            values[name] =
                name == "tags"
                ? MemberSet(parts[1].split(separator: ",").compactMap { Int64($0) }).stored
                : Int64(parts[1]).map { .integer($0) } ?? .null
        }
        return values
    }
}
