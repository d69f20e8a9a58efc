// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The dates of a value that encodes itself, which are found again in its document.
///
/// The encoder writes a mark in place of each date: text that no other value has, because it begins with a
/// UUID of this encoding. The document then has the dates wherever its writer puts them, also after a part
/// of the value was encoded again or left out.
final class DateMarks: Sendable {
    private let prefix = UUID().uuidString + "/"
    private let dates = Mutex<[Date]>([])

    /// The strategy by which an encoder writes marks.
    var strategy: DocumentEncoder.DateEncodingStrategy {
        .custom { date, encoder in
            let number = self.dates.withLock { dates in
                dates.append(date)
                return dates.count - 1
            }
            var container = encoder.singleValueContainer()
            try container.encode(self.prefix + String(number))
        }
    }

    /// Returns the date of a mark; nil for other text.
    func date(of text: String) -> Date? {
        guard text.hasPrefix(prefix), let number = Int(text.dropFirst(prefix.count)) else {
            return nil
        }
        return dates.withLock { $0[number] }
    }
}
