"""What a user says and does not mean, or no longer means: is it believed?"""
