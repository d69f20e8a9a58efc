// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestKit

/// A flight in the database.
@Entity final class Flight: ManagedObject {
    @Identity var number: String
    var airline: String
    var origin: Airport?
    var destination: Airport?
    @MappedKey("distance_km") var distance: Int
    @MappedKey("duration_minutes") var duration: Int
}
#endif
