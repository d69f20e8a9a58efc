// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestMapping
import RestPersistence

/// A value that is stored as JSON.
struct SampleRange: JSONAttributeValue, Equatable {
    var lower: Double
    var upper: Double
}

/// An entity with numbers of all widths.
@Entity final class Sample: ManagedObject {
    @Identity var number: Int
    var level: Int8 = 0
    var port: UInt16 = 0
    var offset: Int32?
    var total: Int64 = 0
    var ratio: Float = 0
    var weight: Double = 0
    var price: Decimal = 0
    var error: Double?
    var series: [Double] = []
    var limits: [String: Double] = [:]
    var range: SampleRange?
    var takenAt: Date?
    var dates: [Date] = []
}
#endif
